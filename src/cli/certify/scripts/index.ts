import type { Script } from '../script.js';
import { opendelivery } from './opendelivery.js';

/** Every script of `opendelivery certify`. */
export const SCRIPTS: readonly Script[] = [opendelivery];
