// Kinds of Kubernetes' other groups.
import type { AnyKind } from '../kind.ts'
import { APIService } from './api-service.ts'
import { ControllerRevision } from './controller-revision.ts'
import { CSIDriver, CSINode, VolumeAttachment } from './csi.ts'
import { CustomResourceDefinition } from './custom-resource-definition.ts'
import { EndpointSlice } from './endpoint-slice.ts'
import { EventV1 } from './event.ts'
import { Lease } from './lease.ts'
import { PodDisruptionBudget } from './policy.ts'
import { PriorityClass } from './priority-class.ts'
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './rbac.ts'
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
} from './reviews.ts'
import { StorageClass } from './storage-class.ts'

export const kubernetesKinds: readonly AnyKind[] = [
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  ControllerRevision,
  CSIDriver,
  CSINode,
  CustomResourceDefinition,
  EndpointSlice,
  EventV1,
  Lease,
  LocalSubjectAccessReview,
  PodDisruptionBudget,
  PriorityClass,
  Role,
  RoleBinding,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
  VolumeAttachment,
]
