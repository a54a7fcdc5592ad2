// Questions to the server. All state is there; the page keeps only what is on the screen.

const token = document.querySelector("meta[name=token]").content;

/** Asks; an answer that says no is thrown with its reason. */
export async function get(path, query) {
  return answer(await fetch(url(path, query), { headers: { accept: "application/json" } }));
}

/** Changes something. */
export async function post(path, body) {
  const headers = { "content-type": "application/json", "x-sre-zero-token": token };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** A path with a query; values may be lists, and what is empty is left out. */
export function url(path, query = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== "") params.append(name, one);
    }
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

async function answer(response) {
  const value = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(value.error || `the server answered ${response.status}`);
  return value;
}
