import type { AbiParameter } from 'viem';
import { referralCommerceAbi } from '../../../../abis/index.ts';
import { type EventName, eventNames, shortPathModes, trustModes } from '../../../core/events.ts';

/** JSON Schema 2020-12. */
type JsonSchema = Record<string, unknown>;

/** JSON Schema of `args` of each event, without the campaign's id. */
export function eventSchemas(): { readonly name: EventName; readonly args: JsonSchema }[] {
  return eventNames.map((name) => {
    const event = referralCommerceAbi.find((item) => item.type === 'event' && item.name === name);
    if (event?.type !== 'event') throw new Error(`The contract has no event ${name}.`);
    const parameters: readonly AbiParameter[] = event.inputs;
    return { name, args: objectOf(parameters.filter((one) => one.name !== 'campaignId')) };
  });
}

function objectOf(parameters: readonly AbiParameter[]): JsonSchema {
  const fields = parameters.map((one) => [one.name ?? '', schemaOf(one)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
}

function schemaOf(parameter: AbiParameter): JsonSchema {
  const [, element] = /^(.*)\[\d*\]$/.exec(parameter.type) ?? [];
  if (element !== undefined) {
    return { type: 'array', items: schemaOf({ ...parameter, type: element }) };
  }
  return 'components' in parameter ? objectOf(parameter.components) : scalarOf(parameter);
}

/** Names of the contract's enums in the order of their values, by the end of their Solidity name. */
const enums = { TrustMode: trustModes, ShortPathMode: shortPathModes } as const;

function scalarOf({ name, type, internalType = '' }: AbiParameter): JsonSchema {
  if (/^enum /.test(internalType)) {
    const found = Object.entries(enums).find(([suffix]) => internalType.endsWith(`.${suffix}`));
    if (found === undefined) throw new Error(`${name} is an enum without names.`);
    return { enum: [...found[1]] };
  }
  // As the readers of core/events.ts decode them: only 256 bits need digits.
  if (type === 'uint256') return { type: 'string', pattern: '^(?:0|[1-9][0-9]*)$' };
  if (type.startsWith('uint')) return { type: 'integer', minimum: 0 };
  if (type === 'bool') return { type: 'boolean' };
  if (type === 'address') return { type: 'string', pattern: '^0x[0-9a-f]{40}$' };
  if (type === 'bytes32') return { type: 'string', pattern: '^0x[0-9a-f]{64}$' };
  return { type: 'string' };
}
