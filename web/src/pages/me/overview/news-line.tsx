import { Link } from 'wouter';
import { api, useApi } from '../../../api.ts';
import { campaignName } from '../../../campaign-name.ts';
import { type News, newsPage, newsText } from './news-text.ts';

/** Milliseconds for which the name of a campaign is shown without asking again. */
const FRESH_MS = 300_000;

/** A notification as a sentence that names its campaign, and leads to the page that it is about. */
export function NewsLine({ news }: { readonly news: News }) {
  const { campaignId } = news;
  const query = useApi(
    ['campaigns.get'],
    api.campaigns.get,
    { campaignId: campaignId ?? '' },
    { enabled: campaignId !== null, staleTime: FRESH_MS },
  );
  const text = newsText(news, query.data && campaignName(query.data.data));
  const href = newsPage(news);
  return href === undefined ? text : <Link href={href}>{text}</Link>;
}
