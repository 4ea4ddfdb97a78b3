import { version } from '../../package.json';

/** The version of this package; the build inserts it. */
export { version };
