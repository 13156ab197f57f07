import { canonicalJson } from '../../../core/canonical-json.ts';
import { conclude } from '../../conclude.ts';
import type { BundleReceipt } from '../types.ts';

/** The bundle's receipt is the one that the proofs give, to the letter. */
export function checkFigures(proven: BundleReceipt | undefined, served: unknown) {
  const isSame = proven !== undefined && canonicalJson(proven) === canonicalJson(served);
  return conclude('figures', {
    pass: 'Every figure of the bundle is what its proofs give, to the letter.',
    problems:
      proven !== undefined && !isSame ? ['The bundle’s receipt is not what its proofs give.'] : [],
    missing: proven === undefined ? ['The proofs give no whole receipt to compare.'] : [],
  });
}
