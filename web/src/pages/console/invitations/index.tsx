import { InvitationList } from './invitation-list.tsx';
import { InviteForm } from './invite-form.tsx';

/** Invitations to distributors: send one, follow them, withdraw one. */
export default function InvitationsSection() {
  return (
    <>
      <InviteForm />
      <InvitationList />
    </>
  );
}
