import { mailPreferences } from '../../../db/commerce/mail-preferences.ts';
import type { Handler } from '../../handler-types.ts';
import { preferencesOf } from '../../render/notification.ts';

/** `notifications.preferences`: what the caller gets by e-mail, and where. */
export const preferences: Handler<'notifications.preferences'> = async (
  _input,
  { pool },
  { account },
) => ({ data: preferencesOf(await mailPreferences(pool, account)) });
