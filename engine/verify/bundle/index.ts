export { MAX_BUNDLE_BYTES } from './limits.ts';
export { bundleText } from './text.ts';
export type { Bundle, BundleBlock, BundleTrust, BundleVerification } from './types.ts';
export { verifyBundle } from './verify-bundle.ts';
