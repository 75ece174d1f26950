/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, jsonReply, list, object, RECORD, TEXT, textReply } from 'svc/toolkit'

export const HTTPBIN_GET = jsonReply(object({ args: RECORD, headers: RECORD, origin: TEXT, url: TEXT }), 'HttpbinGet')

export const HTTPBIN_ANYTHING = jsonReply(
  object({
    args: RECORD,
    data: TEXT,
    files: RECORD,
    form: RECORD,
    headers: RECORD,
    json: ANY,
    method: TEXT,
    origin: TEXT,
    url: TEXT,
  }),
  'HttpbinAnything',
)

export const HTTPBIN_HEADERS = jsonReply(object({ headers: RECORD }), 'HttpbinHeaders')

export const HTTPBIN_IP = jsonReply(object({ origin: TEXT }), 'HttpbinIp')

export const HTTPBIN_USER_AGENT = jsonReply(object({ 'user-agent': TEXT }), 'HttpbinUserAgent')

export const HTTPBIN_BASIC_AUTH = jsonReply(object({ authenticated: BOOLEAN, user: TEXT }), 'HttpbinBasicAuth')

export const HTTPBIN_BEARER = jsonReply(object({ authenticated: BOOLEAN, token: TEXT }), 'HttpbinBearer')

export const HTTPBIN_COOKIES = jsonReply(object({ cookies: RECORD }), 'HttpbinCookies')

export const HTTPBIN_RANGE = textReply('application/octet-stream')

export const HTTPBIN_RESPONSE_HEADERS = jsonReply(RECORD)

export const HTTPBIN_IMAGE = textReply('image/*')

export const HTTPBIN_IMAGE_2 = textReply('image/*')

export const HTTPBIN_STREAM = jsonReply(ANY)

export const HTTPBIN_LINKS = textReply('text/html')

export const HTTPBIN_UUID = jsonReply(object({ uuid: TEXT }), 'HttpbinUuid')

export const HTTPBIN_DELAY = jsonReply(
  object({ args: RECORD, data: TEXT, files: RECORD, form: RECORD, headers: RECORD, origin: TEXT, url: TEXT }),
  'HttpbinDelay',
)

export const ECHO_BASIC = jsonReply(
  object({
    path: TEXT,
    host: TEXT,
    method: TEXT,
    proto: TEXT,
    headers: RECORD,
    httpPort: TEXT,
    namespace: TEXT,
    ingress: TEXT,
    service: TEXT,
    pod: TEXT,
  }),
  'HttpbinEchoBasic',
)

/** Bodies of any kind are reflected. */
export const HTTPBIN_POST = jsonReply(
  object({
    args: RECORD,
    data: TEXT,
    files: RECORD,
    form: RECORD,
    headers: RECORD,
    json: ANY,
    origin: TEXT,
    url: TEXT,
  }),
  'HttpbinPost',
)

export const SLIDES = jsonReply(
  object({
    slideshow: object({
      author: TEXT,
      date: TEXT,
      slides: list(object({ title: TEXT, type: TEXT }, { items: list(TEXT) })),
      title: TEXT,
    }),
  }),
  'HttpbinSlideshow',
)

export const AUTHENTICATED = jsonReply(object({ authenticated: BOOLEAN, user: TEXT }), 'HttpbinDigest')
