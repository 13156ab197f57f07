import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { permissionPlan, readPermissions, refuseZero } from '../../resources/operations/allow.ts';
import { preparedOperation } from '../../resources/operations/prepare.ts';

/** `operations.allowDistributors`: changes the allow-list, account by account. */
export const allowDistributors: Handler<'operations.allowDistributors'> = async (
  input,
  deps,
  { merchant },
) => {
  const named = input.accounts.map(lowerAddress);
  for (const [i, account] of named.entries()) refuseZero(`accounts.${i}`, account);
  const { campaignId, allowed } = input;
  const permissions = { role: 'distributor', accounts: [...new Set(named)], allowed } as const;
  const scope = { campaignId, merchant };
  const { own, known } = await readPermissions(deps, scope, permissions);
  const open = {
    code: 'NO_EFFECT',
    message: 'Everybody may join this campaign: it is not by invitation only.',
  } as const;
  const warnings = own.campaign.inviteOnly ? [] : [open];
  const plan = permissionPlan(deps, own, permissions, known, warnings);
  return { data: await preparedOperation(deps, own, plan), chain: own.chain };
};
