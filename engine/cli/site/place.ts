import { join } from 'node:path';
import { projectRoot } from '../stack/processes.ts';

/** Where the built site lies. */
export const SITE_FOLDER = join(projectRoot, 'web', 'dist');

/** In it: the hash of what it was built of. */
export const STAMP_FILE = '.inputs';
