export { BundleImpossibleError, BundleUnavailableError, NoSaleError } from './errors.ts';
export { LINK_HEADERS_MOST, type MakeBundleParameters, makeBundle } from './make-bundle.ts';
