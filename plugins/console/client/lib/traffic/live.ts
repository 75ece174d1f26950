/** The live traffic that several views show: entries and rates, kept while other views are open. */
import { effect, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { signInReason } from '../instance/api.ts'
import { headerOf } from '../protocol/http.ts'
import { CONSOLE_HEADER, LOOK_UP } from '../instance/gateway.ts'
import { page } from '../instance/page.ts'
import { settings } from '../shell/storage.ts'
import { isOwnPage } from './own-pages.ts'
import { openFeed, type FeedState } from './feed.ts'
import { LiveEntries } from './live-entries.ts'
import { followOpenAnswers } from './open-answers.ts'
import { Rates } from './rates.ts'

export const live = new LiveEntries()
export const rates = new Rates()
/** Whether the stored requests have been loaded; until then, empty lists and zeros mean nothing. */
export const hasFollowed = signal(false)

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
        hasFollowed.value = true
        live.push(entries)
        rates.add(entries.filter(entry => headerOf(entry.headers, CONSOLE_HEADER) !== LOOK_UP && !isOwnPage(entry)))
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
