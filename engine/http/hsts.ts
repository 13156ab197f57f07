/**
 * Browsers ask this host by HTTPS alone for 180 days. It says nothing of other hosts below its name:
 * those are the operator's, and may have no certificate.
 */
export const HSTS = 'max-age=15552000';
