import { version } from '../package.json';

/** The version of this package; the build writes it in. */
export { version };
