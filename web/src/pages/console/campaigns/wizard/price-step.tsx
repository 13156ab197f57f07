import { useForm } from 'react-hook-form';
import { Check } from '../../../../components/check.tsx';
import { Field } from '../../../../components/field.tsx';
import { FieldGroup, Form } from '../../../../components/form.tsx';
import { inputOf } from '../../../../form-issues.ts';
import { amountText, checkedValue, readPositive } from '../../../../read-input.ts';
import type { DraftBody, StepProps } from './draft.ts';

type TrustMode = NonNullable<DraftBody['trustMode']>;

const modes: readonly (readonly [TrustMode, string, string])[] = [
  [
    'NATIVE_ONCHAIN',
    'Buyers pay the contract',
    'The contract takes the price and keeps it until the hold is over. Distributors and buyers need not trust your word. Choose this if you can.',
  ],
  [
    'MERCHANT_ATTESTED',
    'You vouch for sales',
    'Buyers pay elsewhere, and you record each sale. Distributors must trust you.',
  ],
  [
    'THIRD_PARTY_VERIFIED',
    'An attester vouches for sales',
    'Buyers pay elsewhere, and an account that you allow signs each sale.',
  ],
];

/** The price of the product, and who vouches for its sales. */
export function PriceStep({ draft: { draft }, product, onSave }: StepProps) {
  const token = product?.token;
  const form = useForm({
    defaultValues: {
      name: draft.name ?? '',
      price: token ? amountText(draft.price ?? product.priceBaseUnits, token.decimals) : '',
      trustMode: draft.trustMode ?? ('NATIVE_ONCHAIN' as TrustMode),
    },
  });
  if (!token) return null;
  return (
    <Form
      form={form}
      name="Continue"
      onSubmit={({ name, price, trustMode }) =>
        onSave({
          ...(name === '' ? {} : { name }),
          token: token.address,
          price: checkedValue(readPositive(price, token.decimals)).toString(),
          trustMode,
        })
      }
    >
      <Field
        label="Name of the campaign"
        hint="Only your team sees it."
        maxLength={100}
        {...inputOf(form, 'name')}
      />
      <Field
        label={`Price, ${token.symbol}`}
        hint="You can change it later, and set prices of variants."
        inputMode="decimal"
        {...inputOf(form, 'price', (text) => readPositive(text, token.decimals).issue)}
      />
      <FieldGroup title="Who says that a sale happened" hint="This can never be changed.">
        {modes.map(([mode, label, hint]) => (
          <Check
            key={mode}
            radio
            value={mode}
            label={label}
            hint={hint}
            {...form.register('trustMode')}
          />
        ))}
      </FieldGroup>
    </Form>
  );
}
