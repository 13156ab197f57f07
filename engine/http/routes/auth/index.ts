export { confirm } from './confirm.ts';
export { nonce } from './nonce.ts';
export { revokeSession } from './revoke-session.ts';
export { session } from './session.ts';
export { sessions } from './sessions.ts';
export { signIn } from './sign-in.ts';
export { signOut } from './sign-out.ts';
