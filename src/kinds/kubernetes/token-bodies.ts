// Tokens: asked for, reviewed, and who am I.
import { s } from '../build.ts'

export const userInfo = s.object(
  {
    username: s.string('Name.'),
    uid: s.string('UID.'),
    groups: s.list(s.string(), 'Groups.'),
    extra: s.map(s.list(s.string()), 'Further facts.'),
  },
  'A user.',
)

export const tokenReviewSpec = s.object(
  {
    token: s.write(s.string('The token.')),
    audiences: s.list(s.string(), 'Audiences, one of which the token must be for.'),
  },
  'The token to look at.',
  { required: ['token'] },
)

export const tokenReviewStatus = s.object(
  {
    authenticated: s.boolean('The token is good.'),
    user: s.write(s.doc(userInfo, 'Its user.')),
    audiences: s.list(s.string(), 'Audiences that both sides share.'),
    error: s.string('Why the token is not good.'),
  },
  'Who the token belongs to.',
)

export const boundObjectReference = s.object({
  kind: s.string(),
  apiVersion: s.string(),
  name: s.string(),
  uid: s.string(),
})

export const tokenRequestSpec = s.object(
  {
    audiences: s.list(s.string(), 'Who the token is for.'),
    expirationSeconds: s.keep(s.int64('Wanted life time.', { default: 3600 })),
    boundObjectRef: s.doc(boundObjectReference, 'Object that the token lives and dies with.'),
  },
  'The token that is wanted.',
)

export const tokenRequestStatus = s.object(
  {
    token: s.string('The token itself.'),
    expirationTimestamp: s.time('When it expires.'),
  },
  'The token.',
)

export const selfSubjectReviewStatus = s.object(
  {
    userInfo: s.write(s.doc(userInfo, 'The asker.')),
  },
  'Who the asker is.',
)
