import { version } from '../version.js';

/** Your application, named in the `user-agent` header for the hub's operator. */
export interface AppInfo {
  /** At most 100 letters, digits and characters such as `-._~`; no spaces. */
  readonly name: string;
  /** Same characters as `name`. */
  readonly version?: string | undefined;
  /** A page about the application, for the operator. */
  readonly url?: string | undefined;
}

/** `opendelivery-client/1.2.3 my-app/4.5 (https://my-app.example)` */
export function userAgentOf(app: AppInfo | undefined): string {
  const own = `opendelivery-client/${version}`;
  if (!app) return own;
  const product = app.version === undefined ? app.name : `${app.name}/${app.version}`;
  return [own, product, ...(app.url === undefined ? [] : [`(${app.url})`])].join(' ');
}
