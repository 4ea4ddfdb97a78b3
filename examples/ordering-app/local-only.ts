import { createMiddleware } from 'hono/factory';

/**
 * Answers browsers on this machine and their own pages only. The port is open
 * to every page of every site that such a browser shows: `Host` shows a site
 * whose name was made to point here, `Origin` and `Sec-Fetch-Site` show a page
 * of another site. Copy it together with the listening address: an application
 * that others reach needs a login instead.
 */
export const localOnly = createMiddleware(async (c, next) => {
  const { host, origin } = new URL(c.req.url);
  const hosts = [host, ...(c.req.header('host') === undefined ? [] : [String(c.req.header('host'))])];
  if (!hosts.every(isLoopback)) {
    return c.text('This is not a name of this machine. Open the address that the application printed.', 403);
  }
  const site = c.req.header('sec-fetch-site');
  const sender = c.req.header('origin');
  const isOwnPage = site === 'same-origin';
  const isSite = site === undefined || site === 'none' || isOwnPage;
  // A form of a page with the policy `no-referrer`, such as ours, has the origin `null`.
  const isOrigin = sender === undefined || sender === origin || (isOwnPage && sender === 'null');
  if (!isSite || !isOrigin) {
    return c.text('Another page led here. Open the address of the orders itself.', 403);
  }
  return next();
});

const isLoopback = (host: string) =>
  /^(?:localhost|\d[\d.]*|\[::1\])(?::\d+)?$/i.test(host) &&
  URL.canParse(`http://${host}`) &&
  /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(`http://${host}`).hostname);
