/** The complete format: routes, errors and headers, for OpenAI and for providers that share the format. */
import type { ReplyContent } from 'svc/plugin'
import type { Engine, Finish, LlmRoute } from '../llm/types.ts'
import { chatCompletions } from './chat/chat.ts'
import { completions } from './chat/completions.ts'
import { embeddings } from './models/embeddings.ts'
import { limitHeaders } from './format/rate-limits.ts'
import { messages, openAiError, openAiLimited } from './format/errors.ts'
import { openAiHeaders } from './format/headers.ts'
import { imageRoutes } from './images/routes.ts'
import { listModels, retrieveModel } from './models/models.ts'
import { moderations } from './models/moderations.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { compactResponse } from './responses/compact.ts'
import { REPLIES } from './replies.ts'
import { createResponse } from './responses/create.ts'
import { cancelResponse, countInput, deleteResponse, listInputItems, retrieveResponse } from './responses/routes.ts'
import { responsesSocket } from './responses/socket.ts'
import { batchRoutes } from './batches/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { uploadRoutes } from './files/uploads.ts'
import type { OpenAiState } from './state.ts'
import { speech } from './audio/speech.ts'
import { readTooling } from './format/tools.ts'
import { tokenize } from './chat/tokenize.ts'
import { health, tokenizerInfo } from './models/model-server.ts'
import { transcriptions } from './audio/transcriptions.ts'
import { chatValidation } from './validation/chat-checks.ts'
import { CHAT_RULES } from './validation/chat-rules.ts'
import { responsesValidation } from './validation/responses-checks.ts'
import type { ChatExtras, OpenAiRoutes, OpenAiWire, StrictVariant } from './types.ts'

/** Finish reasons; a stop sequence counts as a normal stop. */
export const finishReasons: Record<Finish, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  prompt_filter: 'content_filter',
}

/** Providers that offer the format in addition to their own take what OpenAI refuses. */
const NOT_CHECKED = { ofChat: {}, ofResponses: {} }

function validationsOf(
  engine: Engine,
  { isIssued }: OpenAiState,
  { flavour, rules, members, isLenient = false }: StrictVariant,
): Record<'ofChat' | 'ofResponses', Pick<LlmRoute, 'validation'>> {
  const chat = {
    flavour,
    isLenient,
    ...(rules === undefined ? {} : { rules: rules(CHAT_RULES) }),
    ...(members === undefined ? {} : { members }),
  }
  const responses = { flavour: `${flavour}-responses`, isLenient, isIssued }
  return {
    ofChat: { validation: chatValidation(engine, chat) },
    ofResponses: { validation: responsesValidation(engine, responses) },
  }
}

export function createWire(
  engine: Engine,
  state: OpenAiState,
  extras?: ChatExtras,
  variant?: StrictVariant,
): OpenAiWire {
  const { ofChat, ofResponses } = variant === undefined ? NOT_CHECKED : validationsOf(engine, state, variant)
  const routes = withReplies({
    chat: { ...chatCompletions(state, extras), ...ofChat } as LlmRoute,
    completions: completions(engine),
    responses: { ...createResponse(state), ...ofResponses } as LlmRoute,
    responsesSocket: responsesSocket(state),
    countInput: { ...countInput(state), ...ofResponses } as LlmRoute,
    compact: compactResponse(state),
    response: retrieveResponse(state),
    deleteResponse: deleteResponse(state),
    cancelResponse: cancelResponse(state),
    inputItems: listInputItems(state),
    ...conversationRoutes(engine, state.conversations),
    ...fileRoutes(engine, state.documents),
    ...uploadRoutes(engine, state.uploads, state.documents),
    ...batchRoutes(engine, state.batches, state.documents),
    embeddings: embeddings(engine),
    moderations: moderations(engine),
    ...imageRoutes(engine, state.fixedImage),
    transcriptions: transcriptions(engine, 'transcriptions'),
    translations: transcriptions(engine, 'translations'),
    speech: speech(engine),
    models: listModels(),
    model: retrieveModel(),
  })
  return {
    routes,
    server: base => [
      tokenize(engine, base) as LlmRoute,
      tokenizerInfo(engine, base),
      health(base),
      health(base, '/health/ready'),
    ],
    mount: (prefix, names, more) => ({
      format: 'OpenAI',
      prefix,
      routes: names.map(name => routes[name]),
      exampleBase: '/ai/openai/v1',
      error: (kind, facts) => ({ status: facts.status, body: openAiError(kind, facts) }),
      limited: openAiLimited,
      finishReasons,
      ...more,
    }),
    error: openAiError,
    messages,
    headers: openAiHeaders,
    limited: openAiLimited,
    limitHeaders,
    readTooling,
    finishReasons,
    unknownModel: "The model '{model}' does not exist",
  }
}

/** The routes with the schemas of their replies. */
function withReplies(routes: OpenAiRoutes): OpenAiRoutes {
  const replies: Partial<Record<string, ReplyContent>> = REPLIES
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => {
      const reply = replies[name]
      return [name, reply === undefined ? route : { ...route, describe: { ...route.describe, reply } }]
    }),
  ) as OpenAiRoutes
}
