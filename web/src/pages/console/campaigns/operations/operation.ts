import type { ComponentType } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import type { Client } from '../../../../../../engine/client/index.ts';
import type { DataOf } from '../../../../api.ts';
import type { PreparedOperation } from '../../operation.ts';

export type Campaign = DataOf<Client['campaigns']['get']>;

export interface FieldsProps<V extends FieldValues> {
  readonly form: UseFormReturn<V>;
  readonly campaign: Campaign;
}

/** A change of a campaign on the chain: its form, and the method that prepares it. */
export interface Operation<V extends FieldValues = FieldValues> {
  /** Its name in the address: `pause`. */
  readonly id: string;
  readonly group: 'state' | 'money' | 'terms' | 'access';
  readonly title: string;
  /** Its effects, and what it does not change. */
  readonly text: string;
  /** True if it makes sense for a campaign; default always. */
  readonly fits?: (campaign: Campaign) => boolean;
  readonly defaults: (campaign: Campaign) => V;
  readonly Fields?: ComponentType<FieldsProps<V>>;
  readonly prepare: (
    api: Client,
    values: V,
    campaign: Campaign,
  ) => Promise<{ readonly data: PreparedOperation }>;
  /** The field of the form for a path of the API's body; default the path itself. */
  readonly fieldOf?: (path: string) => string;
}

/** Forgets the type of an operation's values, so that operations of all kinds fit into one list. */
export function operation<V extends FieldValues>(one: Operation<V>): Operation {
  return one as unknown as Operation;
}
