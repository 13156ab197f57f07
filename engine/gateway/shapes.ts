// Shapes that the gateway adds to those of the contract.
import { z } from 'zod';
import { ChainMeta, errorCodes } from '../contract/envelope.ts';
import { nameSchemas } from '../contract/names.ts';
import { Address, ChainId } from '../contract/values.ts';

const identity = {
  chainId: ChainId,
  contractAddress: Address.describe('The contract of the deployment.'),
};

/** The chain and contract of a deployment. */
export const DeploymentRef = z.strictObject(identity);

/** Reasons why a deployment is missing: an error that it answered, or why it gave no valid answer. */
export const missingCodes = [
  ...errorCodes,
  ...(['AWAY', 'TIMEOUT', 'BUSY', 'BAD_RESPONSE', 'WRONG_DEPLOYMENT'] as const),
] as const;

/** A deployment that has no part in a response. */
export const MissingDeployment = z.strictObject({
  name: z
    .string()
    .describe('chainId/contract, or the number of the deployment if neither is known yet.'),
  deployment: DeploymentRef.nullable().describe('null if it has never answered nor been declared.'),
  code: z
    .enum(missingCodes)
    .describe(
      'An error that it answered; or AWAY, TIMEOUT, BUSY, BAD_RESPONSE or WRONG_DEPLOYMENT.',
    ),
  reason: z.string().describe('A sentence.'),
});

/** A deployment that answered. */
const AnsweredDeployment = z.strictObject({
  ...identity,
  chain: ChainMeta.nullable().describe('The block that it read as of; null if it read no ledger.'),
});

/** The deployments of a response. */
export const ResponseDeployments = z.strictObject({
  answered: z.array(AnsweredDeployment),
  missing: z
    .array(MissingDeployment)
    .describe('Deployments whose part is missing: totals and lists are without them.'),
  finished: z
    .array(DeploymentRef)
    .optional()
    .describe('Deployments whose items were all on earlier pages.'),
});

/** The `meta` of a response across deployments. */
export const GatewayMeta = z.strictObject({
  requestId: z.string(),
  deployments: ResponseDeployments,
  resumeCursor: z
    .string()
    .optional()
    .describe(
      'On the last page of a list, if deployments are missing: the cursor that reads their items later.',
    ),
});

nameSchemas({
  DeploymentRef,
  MissingDeployment,
  AnsweredDeployment,
  ResponseDeployments,
  GatewayMeta,
});

/** Reason why a deployment is missing. */
export type MissingCode = (typeof missingCodes)[number];
export type MissingDeployment = z.infer<typeof MissingDeployment>;
export type ResponseDeployments = z.infer<typeof ResponseDeployments>;
export type GatewayMeta = z.infer<typeof GatewayMeta>;
