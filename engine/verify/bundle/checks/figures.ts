import { canonicalJson } from '../../../core/canonical-json.ts';
import { conclude } from '../../conclude.ts';
import type { BundleReceipt } from '../types.ts';

/** Checks that the bundle's receipt equals the one that the proofs give, character by character. */
export function checkServedFields(proven: BundleReceipt | undefined, served: unknown) {
  const isSame = proven !== undefined && canonicalJson(proven) === canonicalJson(served);
  return conclude('figures', {
    pass: 'Every field of the bundle is what its proofs give, to the letter.',
    problems:
      proven !== undefined && !isSame ? ['The bundle’s receipt is not what its proofs give.'] : [],
    missing: proven === undefined ? ['The proofs give no whole receipt to compare.'] : [],
  });
}
