import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { permissionPlan, readPermissions, refuseZero } from '../../resources/operations/allow.ts';
import { preparedOperation } from '../../resources/operations/prepare.ts';

/** `operations.allowAttester`: who may attest sales of a THIRD_PARTY_VERIFIED campaign. */
export const allowAttester: Handler<'operations.allowAttester'> = async (
  input,
  deps,
  { merchant },
) => {
  const account = lowerAddress(input.account);
  refuseZero('account', account);
  if (account === merchant) {
    const message = 'must not be yourself: the contract accepts no attestation by the merchant';
    throw unprocessable('You cannot attest your own sales.', [{ path: 'account', message }]);
  }
  const { campaignId, allowed } = input;
  const permissions = { role: 'attester', accounts: [account], allowed } as const;
  const scope = { campaignId, merchant };
  const { own, known } = await readPermissions(deps, scope, permissions);
  const { trustMode } = own.campaign;
  const unused = {
    code: 'NO_EFFECT',
    message: `Sales of this campaign need no attester: its trust mode is ${trustMode}.`,
  } as const;
  const warnings = trustMode === 'THIRD_PARTY_VERIFIED' ? [] : [unused];
  const plan = permissionPlan(deps, own, permissions, known, warnings);
  return { data: await preparedOperation(deps, own, plan), chain: own.chain };
};
