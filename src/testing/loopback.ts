import type { IncomingMessage } from 'node:http';
import { headerValues } from '../http/raw-headers.js';

/** Which requests the server processes besides those of programs on this machine. */
export interface Admitted {
  /** As `hostNameOf` returns them. */
  readonly hosts: ReadonlySet<string>;
  /** As browsers send them. */
  readonly origins: ReadonlySet<string>;
}

/** A name, an IPv4 address, or an IPv6 address in brackets. URLs allow more, such as `%6cocalhost` and full-width letters. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
/** Hosts that cannot be another machine. Any other name could resolve to this machine by DNS rebinding. */
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\]|::1)$/;

/** The host without its port, in lower case, such as `[::1]`; undefined if it is not a host. */
export function hostNameOf(host: string): string | undefined {
  const url = `http://${host}`;
  return HOST.test(host) && URL.canParse(url) ? new URL(url).hostname : undefined;
}

/**
 * Returns the reason why the server must refuse a request; undefined if it may process it.
 *
 * Any page in a browser on this machine can send requests to a local port.
 * `Host` reveals a page whose domain was rebound to this machine. `Origin` and
 * `Sec-Fetch-Site` reveal a page of another site: programs do not send these
 * headers, and a page cannot post without at least one of them.
 */
export function refusalOf(
  { url = '/', rawHeaders }: IncomingMessage,
  admitted: Admitted,
): string | undefined {
  const values = headerValues(rawHeaders);
  const hosts = values.get('host') ?? [];
  const target = url.startsWith('/') || url === '*' ? [] : [authorityOf(url)];
  const foreign = [...(hosts.length > 0 ? hosts : ['']), ...target].find(
    (host) => !isAdmitted(host, admitted),
  );
  if (foreign !== undefined) {
    return `the host '${foreign.slice(0, 100)}' is not this machine; send the request to 127.0.0.1 or localhost, or allow the host with --allow-host`;
  }
  const [host] = hosts as [string, ...string[]];
  if (hosts.length > 1) return 'the request has more than one Host header';
  if (allowedOriginOf(rawHeaders, admitted) !== undefined) return undefined;
  const site = values.get('sec-fetch-site')?.join();
  const isSameOrigin = site === 'same-origin';
  const isForeignSite = site !== undefined && site !== 'none' && !isSameOrigin;
  const origin = values.get('origin')?.join();
  // A page with the referrer policy `no-referrer` sends the origin `null`, also to its own server.
  const isForeignOrigin =
    origin !== undefined && origin !== ownOrigin(host) && !(isSameOrigin && origin === 'null');
  if (!isForeignSite && !isForeignOrigin) return undefined;
  return 'a page of another origin sent this request; send it from a program, or allow the origin with --allow-origin';
}

/** The origin of the page that sent a request, if the server answers its pages. */
export function allowedOriginOf(rawHeaders: readonly string[], { origins }: Admitted): string | undefined {
  const origin = headerValues(rawHeaders).get('origin')?.join();
  return origin !== undefined && origins.has(origin) ? origin : undefined;
}

function isAdmitted(host: string, { hosts }: Admitted): boolean {
  const name = hostNameOf(host);
  return name !== undefined && (isLoopback(name) || hosts.has(name));
}

export const isLoopback = (hostName: string) => LOOPBACK.test(hostName);

const ownOrigin = (host: string) => new URL(`http://${host}`).origin;

/** The host of an absolute request target (`http://host/path`), as proxies receive it. */
function authorityOf(target: string): string {
  return /^\w+:\/\/([^/?#]*)/.exec(target)?.[1] ?? target;
}
