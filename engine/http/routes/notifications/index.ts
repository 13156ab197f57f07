export { list } from './list.ts';
export { preferences } from './preferences.ts';
export { setPreferences } from './set-preferences.ts';
