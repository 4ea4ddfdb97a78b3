import { version } from '../version.js';

/** The application that uses this package, for the hub's operator. */
export interface AppInfo {
  /** An HTTP token: letters, digits and `-._~` and the like, no blanks. */
  readonly name: string;
  readonly version?: string | undefined;
  /** Where the operator finds out more. */
  readonly url?: string | undefined;
}

/** `opendelivery-client/1.2.3 my-app/4.5 (https://my-app.example)` */
export function userAgentOf(app: AppInfo | undefined): string {
  const own = `opendelivery-client/${version}`;
  if (!app) return own;
  const product = app.version === undefined ? app.name : `${app.name}/${app.version}`;
  return [own, product, ...(app.url === undefined ? [] : [`(${app.url})`])].join(' ');
}
