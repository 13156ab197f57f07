export { audit } from './audit.ts';
export { invite } from './invite.ts';
export { members } from './members.ts';
export { mine } from './mine.ts';
export { remove } from './remove.ts';
export { transferOwnership } from './transfer-ownership.ts';
export { updateRole } from './update-role.ts';
