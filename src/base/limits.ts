// Every limit has a name, a reason and this one home.

/** Largest request body; kube-apiserver's own limit. Bytes. */
export const REQUEST_BODY_MAX_BYTES = 3 * 1024 * 1024
/** Operations in one JSON patch; kube-apiserver's own limit. */
export const JSON_PATCH_MAX_OPERATIONS = 10_000
/** A watcher with more than this unsent is cut off; it resumes from its last revision. Bytes. */
export const WATCH_BACKLOG_MAX_BYTES = 4 * 1024 * 1024
/** History kept for watches and continue tokens before compaction, as etcd does under Kubernetes. */
export const WATCH_HISTORY_MS = 5 * 60_000
export const WATCH_HISTORY_MIN_EVENTS = 10_000
/** Characters in a name derived from other names, when it must also serve as a label value. */
export const LABEL_VALUE_MAX = 63
export const OBJECT_NAME_MAX = 253
/** Path of a unix socket; sun_path of Linux less its terminator. Bytes. */
export const SOCKET_PATH_MAX = 107
