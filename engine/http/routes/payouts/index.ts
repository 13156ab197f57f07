export { prepareAll } from './prepare-all.ts';
