import type { IncomingMessage } from 'node:http';
import { headerValues } from '../http/raw-headers.js';

/**
 * Hosts that cannot be another machine: `localhost`, an IPv4 address in digits,
 * or `[::1]`. Any other name could resolve to this machine by DNS rebinding.
 */
const LITERAL_HOST = /^(?:localhost|[\d.]+|\[::1\])(?::\d+)?$/i;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Returns the reason why the server must refuse a request; undefined if it may process it.
 *
 * Any page in a browser on this machine can send requests to a local port.
 * `Host` reveals a page whose domain was rebound to 127.0.0.1. `Origin` and
 * `Sec-Fetch-Site` reveal a page of another site: programs do not send these
 * headers, and a page cannot post without at least one of them.
 */
export function refusalOf({ url = '/', rawHeaders }: IncomingMessage): string | undefined {
  const values = headerValues(rawHeaders);
  const hosts = values.get('host') ?? [];
  const target = url.startsWith('/') ? [] : [authorityOf(url)];
  const foreign = [...(hosts.length > 0 ? hosts : ['']), ...target].find((host) => !isLoopback(host));
  if (foreign !== undefined) {
    return `the host '${foreign.slice(0, 100)}' is not this machine; send the request to 127.0.0.1 or localhost`;
  }
  const [host] = hosts as [string, ...string[]];
  if (hosts.length > 1) return 'the request has more than one Host header';
  const site = values.get('sec-fetch-site')?.join();
  const isSameOrigin = site === 'same-origin';
  const isForeignSite = site !== undefined && site !== 'none' && !isSameOrigin;
  const origin = values.get('origin')?.join();
  // A page with the referrer policy `no-referrer` sends the origin `null`, also to its own server.
  const isForeignOrigin =
    origin !== undefined && origin !== ownOrigin(host) && !(isSameOrigin && origin === 'null');
  if (!isForeignSite && !isForeignOrigin) return undefined;
  return 'a page of another origin sent this request; send it from a program, or open the address in a browser';
}

function isLoopback(host: string): boolean {
  return (
    LITERAL_HOST.test(host) &&
    URL.canParse(`http://${host}`) &&
    LOOPBACK.test(new URL(`http://${host}`).hostname)
  );
}

const ownOrigin = (host: string) => new URL(`http://${host}`).origin;

/** The host of an absolute request target (`http://host/path`), as proxies receive it; `*` has none. */
function authorityOf(target: string): string {
  return /^\w+:\/\/([^/?#]*)/.exec(target)?.[1] ?? (target === '*' ? 'localhost' : target);
}
