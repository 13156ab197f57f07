import type { Handler } from '../../handler-types.ts';
import { answerOwnProfile } from '../../resources/reputation/answer-profile.ts';

/** `reputation.mine`: the caller's own track record and profile, and the fields that are public. */
export const mine: Handler<'reputation.mine'> = async (_input, deps, { account }) =>
  await answerOwnProfile(deps, account);
