/** The plugin `redirects`: redirect chains and cookies. */
import { definePlugin } from 'svc/plugin'
import { registerCookies } from './routes/cookies.ts'
import { registerRedirects } from './routes/redirects.ts'

export default definePlugin({
  title: 'Redirects and cookies',
  description: 'Redirect chains, single redirects within the instance, and cookies to set, show and delete.',
  paths: ['/redirect', '/absolute-redirect', '/redirect-to', '/cookies'],
  categories: [{ name: 'Redirects & Cookies', rank: 50 }],
  register(app, svc) {
    registerRedirects(app, svc)
    registerCookies(app, svc)
  },
})
