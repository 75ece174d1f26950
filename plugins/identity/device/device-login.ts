/** The login of a user who entered the code of a device: what it is for, and how it ends. */
import type { FastifyReply } from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import type { LoginPurpose } from '../login/log-in.ts'
import type { LoginStep } from '../login/steps.ts'
import { sendErrorPage } from '../pages/page.ts'
import type { Client, DeviceCode } from '../stores/records.ts'
import { decide, shownUserCode } from './device-codes.ts'
import { sendCodePage, sendDecidedPage } from './device-page.ts'

/** What the form says about a code that can't be approved. */
export const UNKNOWN_CODE = 'This code is unknown or has expired.'

/** A pending code and its client. */
export interface EnteredCode {
  issuer: Issuer
  client: Client
  record: DeviceCode
  userCode: string
}

/** The purpose of a login for a device. */
export function devicePurpose({ issuer, client, record, userCode }: EnteredCode, reply: FastifyReply): LoginPurpose {
  const { deviceCodes } = issuer.stores
  const shown = shownUserCode(userCode)
  return {
    subject: {
      issuer,
      client,
      scope: record.scope,
      action: 'device',
      hidden: [['user_code', shown]],
      username: undefined,
    },
    variant: issuer.settings.login.variant,
    acrValues: undefined,
    loginHint: undefined,
    state: { kind: 'device', userCode },
    async approve(login, scope): Promise<FastifyReply> {
      const isDecided = await decide(userCode, { login, scope }, deviceCodes)
      return isDecided
        ? sendDecidedPage(reply, true)
        : sendCodePage(reply, issuer, { entered: shown, problem: UNKNOWN_CODE })
    },
    async refuse(error, description) {
      if (error !== 'access_denied') return sendErrorPage(reply, error, description)
      await decide(userCode, 'denied', deviceCodes)
      return sendDecidedPage(reply, false)
    },
  }
}

/** The code of a step. */
export function codeOf({ purpose }: LoginStep): string {
  if (purpose.kind !== 'device') throw new TypeError('not a step of a device')
  return purpose.userCode
}
