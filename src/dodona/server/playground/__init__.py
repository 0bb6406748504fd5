"""The functions behind the playground page, and the page itself.

Each takes a request, whose fields are checked already, and the models of the server; it returns what JSON can hold.
What else is wrong with a request is told in one sentence, as a DodonaError. Nothing is kept between two requests.
"""
