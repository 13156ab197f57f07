import { hashTypedData } from 'viem';
import type { z } from 'zod';
import type { RequiredApproval, TypedData } from '../../../contract/shapes/operation.ts';
import type { Address, Hex } from '../../../core/events.ts';
import { contractStructs, domainFields } from '../../../core/signed-structs.ts';
import { signingDomain } from '../../../core/signing-domain.ts';
import type { AppDeps } from '../../deps.ts';
import { isoTime } from '../../render/time.ts';

type StructName = keyof typeof contractStructs;

/** A value for each field of a struct; integers are decimal digits. */
type Message<N extends StructName> = Readonly<
  Record<(typeof contractStructs)[N][number]['name'], string>
>;

/** Data to sign by EIP-712, and the digest that is signed. */
export function typedData<N extends StructName>(
  { deployment }: Pick<AppDeps, 'deployment'>,
  primaryType: N,
  message: Message<N>,
): {
  readonly typedData: Omit<z.infer<typeof TypedData>, 'primaryType'> & { readonly primaryType: N };
  readonly digest: Hex;
} {
  const domain = {
    ...signingDomain,
    chainId: deployment.chainId,
    verifyingContract: deployment.contractAddress,
  } as const;
  const types = {
    EIP712Domain: [...domainFields],
    [primaryType]: [...contractStructs[primaryType]],
  };
  const values: Record<string, string> = { ...message };
  return {
    typedData: { domain, primaryType, types, message: values },
    // viem takes integers as decimal digits, too.
    digest: hashTypedData({ domain, types, primaryType: primaryType as string, message: values }),
  };
}

/** Attester of a sale, and the data that it signs. */
export function requiredApproval<N extends 'RefundApproval' | 'ReversalApproval'>(
  deps: Pick<AppDeps, 'deployment'>,
  attester: Address,
  primaryType: N,
  message: Message<N> & { readonly deadline: string },
): z.infer<typeof RequiredApproval> {
  const deadline = isoTime(Number(message.deadline));
  return { attester, deadline, ...typedData(deps, primaryType, message) };
}
