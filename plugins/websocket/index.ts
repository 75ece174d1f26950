/** The plugin `websocket`: an echo and a ticker over WebSocket. */
import { definePlugin } from 'svc/plugin'
import { registerEcho } from './routes/echo.ts'
import { registerTime } from './routes/time.ts'

export default definePlugin({
  title: 'WebSocket',
  description: 'Echoes every message, or sends the time at intervals.',
  paths: ['/ws'],
  categories: [{ name: 'WebSocket', rank: 190 }],
  register(app, svc) {
    registerEcho(app, svc)
    registerTime(app, svc)
  },
})
