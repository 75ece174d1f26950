/** The plugin `bins`: URLs that record requests. */
import { definePlugin } from 'svc/plugin'
import { createBinStore } from './bin-store.ts'
import { createFeeds } from './feed.ts'
import { limitsOf } from './limits.ts'
import { registerBins } from './routes/bins.ts'
import { registerCapture } from './routes/capture.ts'
import { registerRequests } from './routes/requests.ts'

export default definePlugin({
  title: 'Request bins',
  description:
    'URLs that record every request, send a configurable response, and show the requests in a list or a live stream.',
  paths: ['/bin'],
  categories: [{ name: 'Request Bin & Webhooks', rank: 230 }],
  register(app, svc) {
    const limits = limitsOf(svc.config)
    const bins = createBinStore(svc, limits)
    svc.use('testing.resets').register({ name: 'bins', reset: session => bins.clear(session?.key ?? null) })
    registerBins(app, svc, bins, limits)
    registerRequests(app, svc, bins, limits, createFeeds(bins, limits))
    registerCapture(app, svc, bins, limits)
  },
})
