/** The live traffic that several views show: entries and rates, kept while other views are open. */
import { effect } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { signInReason } from '../instance/api.ts'
import { headerOf } from '../protocol/http.ts'
import { CONSOLE_HEADER, LOOK_UP } from '../instance/gateway.ts'
import { page } from '../instance/page.ts'
import { settings } from '../shell/storage.ts'
import { openFeed, type FeedState } from './feed.ts'
import { LiveEntries } from './live-entries.ts'
import { followOpenAnswers } from './open-answers.ts'
import { Rates } from './rates.ts'

export const live = new LiveEntries()
export const rates = new Rates()

/** Follows the feed while the view is open; it resumes where it stopped. */
export function useLiveFeed(): FeedState {
  const [feedState, setFeedState] = useState<FeedState>({ kind: 'connecting' })
  const publicSession = page.isPublic ? settings.value.session : ''
  const isSignedOut = signInReason.value !== null
  useEffect(() => {
    if (isSignedOut) return
    if (publicSession !== '') live.clear(({ session }) => session !== publicSession)
    const feed = openFeed({
      onEntries: entries => {
        live.push(entries)
        rates.add(entries.filter(({ headers }) => headerOf(headers, CONSOLE_HEADER) !== LOOK_UP))
      },
    })
    const stop = effect(() => setFeedState(feed.state.value))
    const stopFollowing = followOpenAnswers(live)
    return () => {
      stop()
      stopFollowing()
      feed.stop()
    }
  }, [publicSession, isSignedOut])
  return feedState
}
