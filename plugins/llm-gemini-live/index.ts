/** Gemini's Live API on the mock LLM: sessions over WebSockets. */
import { definePlugin } from 'svc/plugin'
import type {} from '../llm/types.ts'
import type {} from '../llm-gemini/types.ts'
import { SessionHandles } from './session-handles.ts'
import { liveSocket } from './socket-route.ts'
import { liveValidation } from './validation.ts'

const VERSIONS = ['v1beta', 'v1alpha', 'v1']

export default definePlugin({
  title: 'Mock LLM: Gemini Live',
  description: 'The Live API of Gemini on the mock LLM: text, audio and tools over WebSockets.',
  paths: ['/ai/gemini/ws'],
  buildsOn: ['llm', 'llm-gemini'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const readRequest = svc.use('llm-gemini.request')!
    const handles = new SessionHandles(svc)
    llm.addState(session => handles.clear(session))
    const { engine } = llm
    const validation = liveValidation(engine, svc.use('llm-gemini.schema')!)
    const services = { engine, readRequest, handles, validation }
    llm.addRoutes(
      app,
      'gemini',
      VERSIONS.map(version => liveSocket(services, version)),
    )
  },
})
