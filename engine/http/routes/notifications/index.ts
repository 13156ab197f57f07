export { confirmEmail } from './confirm-email.ts';
export { list } from './list.ts';
export { preferences } from './preferences.ts';
export { setPreferences } from './set-preferences.ts';
export { unsubscribe } from './unsubscribe.ts';
