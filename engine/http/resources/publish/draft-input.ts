import { lowerAddress } from '../../input/address.ts';
import { lowerHash } from '../../input/hash.ts';
import type { DraftInput } from './missing.ts';

/** Draft with its addresses and its salt in lower case: the same draft is the same text. */
export function withLowerHex<T extends Omit<DraftInput, 'version'>>(draft: T): T {
  const { token, salt, policy } = draft;
  return {
    ...draft,
    ...(token && { token: lowerAddress(token) }),
    ...(salt && { salt: lowerHash(salt) }),
    ...(policy?.rewardToken && {
      policy: { ...policy, rewardToken: lowerAddress(policy.rewardToken) },
    }),
  };
}
