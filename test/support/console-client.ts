/** An HTML response. */
interface ConsoleResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Redirect target, as a path of the console.
  readonly location: string | undefined;
}

const MAX_STEPS = 15;

/** A browser with cookies, redirects and forms, without script. */
export class ConsoleClient {
  readonly #url: string;
  // By origin: cookies ignore ports, but separate clients share none.
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the cookies sent to the console. */
  get cookie(): string {
    return this.#cookieHeader(this.#url);
  }

  setCookie(name: string, value: string): void {
    this.#jar(this.#url).set(name, value);
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ConsoleResponse> {
    return this.#send('GET', new URL(path, this.#url), undefined, headers);
  }

  /** Posts a form of the page `from`, with its token and hidden fields. */
  async submit(
    from: string,
    action: string,
    fields: Readonly<Record<string, string>> | URLSearchParams = {},
  ): Promise<ConsoleResponse> {
    const page = await this.get(from);
    return this.post(
      action,
      new URLSearchParams([...Object.entries(hiddenFields(page.text, action)), ...new URLSearchParams(fields)]),
    );
  }

  async post(
    path: string,
    body: URLSearchParams | FormData | Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleResponse> {
    const form = body instanceof FormData || body instanceof URLSearchParams ? body : new URLSearchParams(body);
    return this.#send('POST', new URL(path, this.#url), form, { 'Sec-Fetch-Site': 'same-origin', ...headers });
  }

  /** Signs in at the provider and returns the first page afterwards. */
  async signIn(person: string, issuer: string, returnTo = '/'): Promise<ConsoleResponse> {
    const start = await this.post('/sign-in', { issuer, return: returnTo });
    const target = /url=(.*)$/.exec(start.headers.get('refresh') ?? '')?.[1];
    if (target === undefined) throw new Error(`the sign-in did not start: ${start.status}`);
    return this.authenticate(target, person);
  }

  /** Follows redirects to the provider, selects the user there and returns the page afterwards. */
  async authenticate(from: string, person: string): Promise<ConsoleResponse> {
    const choice = await this.#followTo(from);
    return this.follow(new URL(`?as=${encodeURIComponent(person)}`, choice.url));
  }

  /** Follows redirects, also to other origins, until a page is returned. */
  async follow(from: URL | string): Promise<ConsoleResponse> {
    return (await this.#followTo(from)).response;
  }

  async #followTo(from: URL | string): Promise<{ url: URL; response: ConsoleResponse }> {
    let url = new URL(from, this.#url);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const response = await this.#send('GET', url);
      const next = response.headers.get('location');
      if (next === null) return { url, response };
      url = new URL(next, url);
    }
    throw new Error(`more than ${MAX_STEPS} redirects`);
  }

  async #send(
    method: string,
    url: URL,
    body?: URLSearchParams | FormData,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleResponse> {
    const cookie = this.#cookieHeader(url.origin);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(cookie !== '' && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(url.origin, line);
    const location = response.headers.get('location');
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : location.replace(this.#url, ''),
    };
  }

  #keep(origin: string, line: string): void {
    const [pair = '', ...attributes] = line.split(/; */);
    const at = pair.indexOf('=');
    const isGone = attributes.some((attribute) => /^(max-age=0|expires=Thu, 01 Jan 1970.*)$/i.test(attribute));
    if (isGone) this.#jar(origin).delete(pair.slice(0, at));
    else this.#jar(origin).set(pair.slice(0, at), pair.slice(at + 1));
  }

  #cookieHeader(origin: string): string {
    return [...this.#jar(origin)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #jar(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}

/** Returns the hidden fields of the form with this `action`. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page.split('<form').find((part) => part.includes(`action="${action}"`)) ?? '';
  const body = form.slice(0, form.indexOf('</form>'));
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\s*\/?>/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}
