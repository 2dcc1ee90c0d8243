"""The ways in which a launch is refused, each its own class, with both sides of the relation in its text."""

from __future__ import annotations


class LaunchRefused(Exception):
    """A launch that would not meet the contract, the device's limits or the assumptions of the proof."""


class PlanUnusable(LaunchRefused):
    """The certificate cannot be read, or does not belong to the code beside it."""


class BlockZero(LaunchRefused):
    """A block size that is not at least 1."""


class GridZero(LaunchRefused):
    """A grid size that is not at least 1."""


class BlockRank(LaunchRefused):
    """More or fewer than one to three block sizes, or sizes that are no integers."""


class GridRank(LaunchRefused):
    """More or fewer than one to three grid sizes, or sizes that are no integers."""


class BlockAxisTooLarge(LaunchRefused):
    """A block size beyond what the device takes along its axis."""


class GridAxisTooLarge(LaunchRefused):
    """A grid size beyond what the device takes along its axis."""


class TooManyThreads(LaunchRefused):
    """More threads a block than the device takes."""


class LaunchTooLarge(LaunchRefused):
    """More threads along an axis than the proof assumes."""


class BlockDiffers(LaunchRefused):
    """Not the block that the contract fixes, for which the code was made."""


class OccupancyTooLow(LaunchRefused):
    """Fewer blocks at a time on a multiprocessor than the contract asks for."""


class StaticSharedTooLarge(LaunchRefused):
    """More static shared memory than a block can have."""


class SharedTooLarge(LaunchRefused):
    """More static and dynamic shared memory than the device gives a block."""


class SharedNegative(LaunchRefused):
    """An amount of shared memory that is no number of bytes."""


class SharedAboveContract(LaunchRefused):
    """More shared memory than the contract allows."""


class CapabilityTooLow(LaunchRefused):
    """A device older than the contract or the code asks for."""


class ClusterTooLarge(LaunchRefused):
    """A cluster that the device does not have."""


class ClusterUneven(LaunchRefused):
    """A grid that is no multiple of the cluster."""


class CooperationUnknown(LaunchRefused):
    """A kernel whose blocks wait for each other, on a device that cannot run them all at a time."""


class GridNotResident(LaunchRefused):
    """More blocks that wait for each other than the device runs at a time: the launch would never end."""


class StreamUnfit(LaunchRefused):
    """A barrier of the grid on a stream that is another one in each thread of the host."""


class FunctionThreadsTooMany(LaunchRefused):
    """More threads a block than the code can run with on this device, for its registers."""


class ArgumentCount(LaunchRefused):
    """Another number of arguments than the kernel has parameters."""


class NotAnArray(LaunchRefused):
    """An argument that does not say where its elements are on the device."""


class NotANumber(LaunchRefused):
    """An argument that is no number, or one of another kind than the parameter's type."""


class ScalarDoesNotFit(LaunchRefused):
    """An integer argument outside its parameter's type, or beyond what the proof assumes."""


class ElementTypeDiffers(LaunchRefused):
    """An array of other elements than the code was made for."""


class RankDiffers(LaunchRefused):
    """An array with another number of axes."""


class NotContiguous(LaunchRefused):
    """A strided array where the code was made for a contiguous one."""


class Misaligned(LaunchRefused):
    """An address or a stride that is no multiple of what the code or the contract needs."""


class NullPointer(LaunchRefused):
    """An array without memory."""


class ReadOnly(LaunchRefused):
    """A read-only array that the kernel writes."""


class EmptyArray(LaunchRefused):
    """An array without elements, which the proof assumes not to be there."""


class ArrayTooLarge(LaunchRefused):
    """An array with more elements than the proof assumes."""


class ArraysOverlap(LaunchRefused):
    """Two arrays that share memory, one of which the kernel writes."""


class SelfOverlap(LaunchRefused):
    """A written array whose own elements share memory, as a broadcast one's do."""


class ClauseBroken(LaunchRefused):
    """A condition of the contract that does not hold for this launch."""


class ContentsBroken(LaunchRefused):
    """An index array whose elements are not as the contract says."""


class ContentsUnknown(LaunchRefused):
    """The contract says something of an array's elements, and nothing here can look at them."""


class ReasonMissing(LaunchRefused):
    """A launch whose contract is not to be checked, without a word on why."""


class DeviceDiffers(LaunchRefused):
    """An array on another device than the one that the launch is for."""
