export { activity } from './activity.ts';
export { audit } from './audit.ts';
export { digest } from './digest.ts';
export { digestEvents } from './digest-events.ts';
export { endpoints } from './endpoints.ts';
export { status } from './status.ts';
