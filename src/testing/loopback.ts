import type { IncomingMessage } from 'node:http';

/** The host is written as `localhost`, in digits or as `[::1]`: a name of the DNS could point here. */
const WRITTEN = /^(?:localhost|[\d.]+|\[::1\])(?::\d+)?$/i;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Why the server must not answer a request; undefined if it may.
 *
 * Every page that a browser on this machine shows can send requests to a port
 * of this machine. `Host` shows the page whose name was rebound to 127.0.0.1,
 * `Origin` and `Sec-Fetch-Site` show the page of another site. A program sends
 * neither of the two, a page cannot leave both out when it posts.
 */
export function refusalOf({ url = '/', headersDistinct }: IncomingMessage): string | undefined {
  const { host: hosts = [], origin: origins, 'sec-fetch-site': sites } = headersDistinct;
  const target = url.startsWith('/') ? [] : [authorityOf(url)];
  const foreign = [...(hosts.length > 0 ? hosts : ['']), ...target].find((host) => !isLoopback(host));
  if (foreign !== undefined) {
    return `'${foreign.slice(0, 100)}' is not a name of this machine; send the request to 127.0.0.1 or localhost`;
  }
  const [host] = hosts as [string, ...string[]];
  if (hosts.length > 1) return 'the request has more than one Host';
  const site = sites?.join();
  const isOwnPage = site === 'same-origin';
  const isSiteForeign = site !== undefined && site !== 'none' && !isOwnPage;
  const origin = origins?.join();
  // A page with the policy `no-referrer` hides its origin from itself, too.
  const isOriginForeign =
    origin !== undefined && origin !== ownOrigin(host) && !(isOwnPage && origin === 'null');
  if (!isSiteForeign && !isOriginForeign) return undefined;
  return 'a page of another origin sent this request; send it from a program, or open the address itself';
}

function isLoopback(host: string): boolean {
  return (
    WRITTEN.test(host) && URL.canParse(`http://${host}`) && LOOPBACK.test(new URL(`http://${host}`).hostname)
  );
}

const ownOrigin = (host: string) => new URL(`http://${host}`).origin;

/** The host in a target such as `http://host/path`, as a client of a proxy sends it; `*` has none. */
function authorityOf(target: string): string {
  return /^\w+:\/\/([^/?#]*)/.exec(target)?.[1] ?? (target === '*' ? 'localhost' : target);
}
