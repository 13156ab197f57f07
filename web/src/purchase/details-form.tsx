import type { ReactNode } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { AskedDetails, BuyerDetails } from '../../../engine/core/buyer-details.ts';
import { retention } from '../../../engine/core/retention.ts';
import type { api } from '../api.ts';
import { Field } from '../components/field.tsx';
import { FieldGroup, FieldRow, Form } from '../components/form.tsx';
import { SelectField } from '../components/select-field.tsx';
import { TextField } from '../components/text-field.tsx';
import { inputOf } from '../form-issues.ts';
import { countryOptions, likelyCountry } from './country-names.ts';

/** Details as `checkout.saveDetails` takes them. */
export type DetailsBody = Omit<Parameters<typeof api.checkout.saveDetails>[0], 'id'>;

interface Values {
  readonly email: string;
  readonly name: string;
  readonly line1: string;
  readonly line2: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly country: string;
  readonly note: string;
}

interface Props {
  readonly asks: AskedDetails;
  /** Details that were given before. */
  readonly given?: BuyerDetails | undefined;
  /** Name of the merchant, who reads them. */
  readonly merchant: string;
  readonly onSubmit: (details: DetailsBody) => Promise<unknown>;
  /** Text of the button. */
  readonly name: string;
  readonly busy: string;
  readonly disabled?: boolean;
  /** Next to the button. */
  readonly aside?: ReactNode;
  /** Between the fields and the button. */
  readonly children?: ReactNode;
}

/** Fields for what the merchant asks a buyer for: contact, delivery address and a note. */
export function DetailsForm(props: Props) {
  const { asks, given, merchant, onSubmit, name, busy, disabled, aside, children } = props;
  const form = useForm<Values>({ defaultValues: valuesOf(given) });
  return (
    <Form
      form={form}
      onSubmit={(values) => onSubmit(bodyOf(values, asks))}
      fieldOf={fieldOf}
      name={name}
      busy={busy}
      disabled={disabled ?? false}
      aside={aside}
    >
      {asks.email !== 'no' && (
        <Field
          label={labelOf('E-mail', asks.email)}
          hint="The merchant answers you there. It gets no advertising from this site."
          type="email"
          autoComplete="email"
          maxLength={254}
          {...inputOf(form, 'email', (text) => emailIssue(text, asks.email === 'required'))}
        />
      )}
      {asks.address !== 'no' && (
        <AddressFields form={form} isNeeded={asks.address === 'required'} />
      )}
      {asks.note !== 'no' && (
        <TextField
          label={labelOf('Note to the merchant', asks.note)}
          hint="A size, a wish, or how to find you."
          maxLength={1_000}
          {...inputOf(form, 'note', (text) =>
            asks.note === 'required' && text.trim() === '' ? 'Write a few words.' : undefined,
          )}
        />
      )}
      <p className="soft">
        Only you and {merchant} can read this. It is stored encrypted, never on the chain, and
        deleted after {retention['buyer-details.forget'].days} days.
      </p>
      {children}
    </Form>
  );
}

interface AddressProps {
  readonly form: UseFormReturn<Values>;
  readonly isNeeded: boolean;
}

function AddressFields({ form, isNeeded }: AddressProps) {
  // An address that may be left out is left out as a whole.
  const needed = (what: string) => (text: string) =>
    text.trim() === '' && (isNeeded || hasAddress(form.getValues())) ? what : undefined;
  return (
    <FieldGroup title={isNeeded ? 'Delivery address' : 'Delivery address (optional)'}>
      <Field
        label="Name"
        autoComplete="shipping name"
        maxLength={100}
        {...inputOf(form, 'name', needed('Enter who receives it.'))}
      />
      <Field
        label="Street and number"
        autoComplete="shipping address-line1"
        maxLength={200}
        {...inputOf(form, 'line1', needed('Enter a street and a number.'))}
      />
      <Field
        label="Flat, floor or company (optional)"
        autoComplete="shipping address-line2"
        maxLength={200}
        {...inputOf(form, 'line2')}
      />
      <FieldRow>
        <Field
          label="Postal code"
          autoComplete="shipping postal-code"
          maxLength={20}
          {...inputOf(form, 'postalCode')}
        />
        <Field
          label="City"
          autoComplete="shipping address-level2"
          maxLength={100}
          {...inputOf(form, 'city', needed('Enter a city.'))}
        />
      </FieldRow>
      <FieldRow>
        <Field
          label="State or region (optional)"
          autoComplete="shipping address-level1"
          maxLength={100}
          {...inputOf(form, 'region')}
        />
        <SelectField
          label="Country"
          autoComplete="shipping country"
          {...inputOf(form, 'country', needed('Choose a country.'))}
          options={[['', 'Choose a country'], ...countryOptions()]}
        />
      </FieldRow>
    </FieldGroup>
  );
}

const labelOf = (label: string, asking: AskedDetails['email']): string =>
  asking === 'required' ? label : `${label} (optional)`;

function emailIssue(text: string, isNeeded: boolean): string | undefined {
  const email = text.trim();
  if (email === '') return isNeeded ? 'Enter your e-mail address.' : undefined;
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? undefined : 'This is no e-mail address.';
}

function hasAddress({ name, line1, line2, city, region, postalCode }: Values): boolean {
  return [name, line1, line2, city, region, postalCode].some((text) => text.trim() !== '');
}

function valuesOf(given: BuyerDetails | undefined): Values {
  const { name = '', line1 = '', line2 = '', city = '' } = given?.address ?? {};
  const { region = '', postalCode = '', country = likelyCountry() } = given?.address ?? {};
  return {
    email: given?.email ?? '',
    ...{ name, line1, line2, city, region, postalCode, country },
    note: given?.note ?? '',
  };
}

function bodyOf(values: Values, asks: AskedDetails): DetailsBody {
  const { name, line1, line2, city, region, postalCode, country } = values;
  const address = { name, line1, line2, city, region, postalCode, country };
  const email = values.email.trim();
  const isAddressed = asks.address !== 'no' && hasAddress(values);
  return {
    email: asks.email === 'no' || email === '' ? null : email,
    address: isAddressed ? address : null,
    note: asks.note === 'no' || values.note.trim() === '' ? null : values.note,
  };
}

/** The field of the form for a path of the body. */
function fieldOf(path: string): string {
  return path === 'address' ? 'name' : path.replace(/^address\./, '');
}
