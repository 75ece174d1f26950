/** The plugin `sse`: streams of server-sent events. */
import { definePlugin } from 'svc/plugin'
import { registerChat } from './routes/chat.ts'
import { registerEvents } from './routes/events.ts'

export default definePlugin({
  title: 'Server-Sent Events',
  description: 'Numbered events that clients can resume, and a chat reply sent word by word.',
  paths: ['/sse'],
  categories: [{ name: 'Streaming (SSE)', rank: 40 }],
  register(app, svc) {
    registerEvents(app, svc)
    registerChat(app, svc)
  },
})
