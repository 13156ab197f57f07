export { BundleImpossibleError, BundleUnavailableError, NoSaleError } from './errors.ts';
export { MAX_LINK_HEADERS, type MakeBundleParameters, makeBundle } from './make-bundle.ts';
