import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addressLines,
  asksAnything,
  type BuyerDetails,
} from '../../../engine/core/buyer-details.ts';
import { MINE } from '../account/session.ts';
import { api, type DataOf, useApi } from '../api.ts';
import { Answered } from '../components/answered.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { countryName } from './country-names.ts';
import { type DetailsBody, DetailsForm } from './details-form.tsx';
import styles from './purchase.module.css';

type Intent = DataOf<typeof api.checkout.getIntent>;

interface Props {
  readonly intent: Intent;
  /** Name of the merchant, who reads them. */
  readonly merchant: string;
}

/** Details that the buyer gave with a purchase, to read and to correct; nothing if the merchant asked for nothing. */
export function DetailsCard({ intent, merchant }: Props) {
  const { id, asks, missingDetails, detailsUpdatedAt } = intent;
  if (!asksAnything(asks)) return null;
  const isNew = detailsUpdatedAt === null;
  if (isNew && missingDetails.length === 0) return null;
  return (
    <Card title="Contact and delivery" id="details">
      {isNew ? (
        <Edit intent={intent} merchant={merchant} />
      ) : (
        <Given key={id} intent={intent} merchant={merchant} />
      )}
    </Card>
  );
}

function Given({ intent, merchant }: Props) {
  const [isEditing, setEditing] = useState(intent.missingDetails.length > 0);
  const { id, detailsUpdatedAt } = intent;
  const query = useApi([MINE, 'checkout.getDetails', detailsUpdatedAt], api.checkout.getDetails, {
    id,
  });
  return (
    <Answered query={query} what="Your details">
      {({ data }) =>
        isEditing ? (
          <Edit intent={intent} merchant={merchant} given={data} onDone={() => setEditing(false)} />
        ) : (
          <div className="stack start">
            <DetailsText details={data} />
            <Button onClick={() => setEditing(true)}>Change these details</Button>
          </div>
        )
      }
    </Answered>
  );
}

interface EditProps extends Props {
  readonly given?: BuyerDetails;
  readonly onDone?: () => void;
}

function Edit({ intent, merchant, given, onDone }: EditProps) {
  const queries = useQueryClient();
  const { id, asks } = intent;
  async function save(details: DetailsBody) {
    await api.checkout.saveDetails({ id, ...details });
    await queries.invalidateQueries({ queryKey: [MINE] });
    onDone?.();
  }
  return (
    <DetailsForm
      asks={asks}
      given={given}
      merchant={merchant}
      onSubmit={save}
      name="Save these details"
      busy="Saving…"
      aside={onDone && <Button onClick={onDone}>Keep them as they are</Button>}
    />
  );
}

/** Details in lines, as on a parcel. */
export function DetailsText({ details }: { readonly details: BuyerDetails }) {
  const { email, address, note } = details;
  return (
    <dl className={styles.details}>
      {email !== null && (
        <div>
          <dt>E-mail</dt>
          <dd>{email}</dd>
        </div>
      )}
      {address !== null && (
        <div>
          <dt>Delivered to</dt>
          <dd className="lines">
            {addressLines(address, countryName(address.country)).join('\n')}
          </dd>
        </div>
      )}
      {note !== null && (
        <div>
          <dt>Note</dt>
          <dd className="lines">{note}</dd>
        </div>
      )}
    </dl>
  );
}
