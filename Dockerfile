# The server with the English models. Compiled in one image, run in another one that has no compiler.
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /dodona && /dodona/bin/pip install --no-cache-dir '.[serve]'

FROM python:3.13-slim
COPY --from=build /dodona /dodona
RUN useradd --system --no-create-home --shell /usr/sbin/nologin dodona
USER dodona
WORKDIR /
ENV PYTHONDONTWRITEBYTECODE=1
EXPOSE 8001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["/dodona/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8001/health', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/dodona/bin/dodona", "serve", "--host", "0.0.0.0", "--port", "8001"]
