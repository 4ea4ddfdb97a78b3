import { createMiddleware } from 'hono/factory';

/**
 * Accepts requests only from this machine, and only from the application's own
 * pages. Every page in a browser on this machine can send requests to a local
 * port. `Host` reveals a site whose domain was rebound to this machine; `Origin`
 * and `Sec-Fetch-Site` reveal a page of another site.
 *
 * This protects a server that listens on 127.0.0.1. An application that other
 * machines can reach needs a login instead.
 */
export const localOnly = createMiddleware(async (c, next) => {
  const { host, origin } = new URL(c.req.url);
  const hosts = [host, ...(c.req.header('host') === undefined ? [] : [String(c.req.header('host'))])];
  if (!hosts.every(isLoopback)) {
    return c.text('The host is not this machine. Open the address that the application printed.', 403);
  }
  const site = c.req.header('sec-fetch-site');
  const sender = c.req.header('origin');
  const isSameOrigin = site === 'same-origin';
  const isAllowedSite = site === undefined || site === 'none' || isSameOrigin;
  // A page with the referrer policy `no-referrer`, such as ours, sends forms with the origin `null`.
  const isAllowedOrigin = sender === undefined || sender === origin || (isSameOrigin && sender === 'null');
  if (!isAllowedSite || !isAllowedOrigin) {
    return c.text('The request came from another site. Open the address of this page directly.', 403);
  }
  return next();
});

const isLoopback = (host: string) =>
  /^(?:localhost|\d[\d.]*|\[::1\])(?::\d+)?$/i.test(host) &&
  URL.canParse(`http://${host}`) &&
  /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(`http://${host}`).hostname);
