// The server's functions. Each takes an object and answers with one, or with one sentence that says what is wrong.

/** Why there is no answer: `status` is that of HTTP, or 0 if the server was not reached; `answer` is what it said. */
export class Refused extends Error {
  constructor(text, status, answer = {}) {
    super(text);
    this.status = status;
    this.answer = answer;
  }
}

/** Ask for an answer of a function; `keepalive`: also while the page is being left, when nobody waits for it. */
export async function ask(name, request = {}, keepalive = false) {
  let response;
  try {
    response = await fetch(`api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      keepalive,
    });
  } catch {
    throw new Refused("The server does not answer. Is “dodona” still running?", 0);
  }
  const answer = await response.json().catch(() => ({}));
  const { ok, status } = response;
  if (!ok) throw new Refused(answer.error ?? `The server answered with status ${status}.`, status, answer);
  return answer;
}

/** Wraps a function so that of several calls only the answer to the last one counts; earlier ones give null. */
export function latest(call) {
  let current = 0;
  return async (...values) => {
    const mine = ++current;
    try {
      const answer = await call(...values);
      return mine === current ? answer : null;
    } catch (error) {
      if (mine === current) throw error;
      return null;
    }
  };
}

/** Actions one after the other, where each needs the answer to the one before. */
export class Queue {
  #last = Promise.resolve();

  run(action) {
    this.#last = this.#last.then(action, action);
    return this.#last;
  }
}
